/** A block or an element that the page cannot draw is shown as it came, not hidden. */
export function Unsupported({ what, type, content }: { what: 'block' | 'element'; type: string; content: unknown }) {
  return (
    <details class="unsupported">
      <summary>
        Unsupported {what} <code>{type}</code>
      </summary>
      <pre>{JSON.stringify(content, null, 2)}</pre>
    </details>
  );
}
