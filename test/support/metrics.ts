/** What a bot needs whose metrics are read at the port of Slack's requests. */
export const METRICS_TOKEN = 'metrics-are-read-with-this';

/** `/metrics` of the bot at that port. */
export async function metricsAt(port: number, signal?: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const answer = await fetch(
    `http://127.0.0.1:${port}/metrics`,
    signal === undefined ? { headers } : { headers, signal },
  );
  return answer.text();
}
