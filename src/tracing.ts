import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { currentInteraction } from './interaction.ts';
import type { Attributes, Observe } from './observe.ts';

/** Sends traces, until it is closed: then the last of them leave. */
export interface Tracing {
  span: Observe['span'];
  close(): Promise<void>;
}

const PACKAGE = '@opentelemetry/sdk-node';
/** The next line of versions wants another Node. */
const INSTALL = `npm install ${PACKAGE}@0.223`;
/** A collector that does not take the last spans is not waited for longer, in milliseconds. */
const CLOSING = 3_000;

/**
 * OpenTelemetry, where an address for it is set; its own variables (`OTEL_…`) say the rest. The SDK is loaded then and not before.
 * Undefined without an address, and where it is not installed: then a line says what to do.
 */
export async function openTracing(
  endpoint: string | undefined,
  log: Logger,
  load = () => import('@opentelemetry/sdk-node'),
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const sdk = await load().catch((error: { code?: unknown }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  if (sdk === undefined) {
    log.warn(
      { install: INSTALL },
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and ${PACKAGE} is not installed: no traces are sent`,
    );
    return undefined;
  }
  const { api, NodeSDK, resources } = sdk;
  const running = new NodeSDK({
    resource: resources.defaultResource().merge(resources.resourceFromAttributes({ 'service.name': 'edgewise' })),
    // That of the process would send how it was called.
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    // Numbers are read at /metrics, and the log is on standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  running.start();
  log.info('traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT');
  const tracer = api.trace.getTracer('edgewise');
  return {
    span(name, attributes, work, isFirst = false) {
      // Work that is part of nothing (every few seconds it is looked what is due) would be a trace of its own each time.
      if (!isFirst && api.trace.getActiveSpan() === undefined) return work(() => undefined);
      return tracer.startActiveSpan(name, { attributes: withId(attributes) }, async (span) => {
        try {
          return await work((more) => void span.setAttributes(more));
        } catch (error) {
          // Its words may hold what somebody typed.
          span.setStatus({ code: api.SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    async close() {
      const late = delay(CLOSING, undefined, { ref: false });
      await Promise.race([running.shutdown().catch(() => undefined), late]);
      api.trace.disable();
      api.context.disable();
    },
  };
}

/** The id that the log, the audit and people have, too. */
function withId(attributes: Attributes): Attributes {
  const id = currentInteraction()?.id;
  return id === undefined ? attributes : { ...attributes, interaction: id };
}
