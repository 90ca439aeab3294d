import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  trace,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { AmqplibInstrumentation } from "@opentelemetry/instrumentation-amqplib";
import { attributeNames } from "../names.ts";
import { currentInherited } from "../spans.ts";

/**
 * The instrumentation of amqplib, with one client span beneath each publish of ours: from when the frame is written until the broker confirms. It would also make
 * a second producer span of each publish and a second consumer span of each delivery, and would overwrite the trace context that the message carries
 * with its own. A message is published and processed once, so these stay ours, as they are on every other bus.
 */
export function amqpClientSpans(): AmqplibInstrumentation {
  // No span of a delivery waits for its ack, so none has to be given up after a time.
  instrumentation ??= new AmqpClientSpans({ consumeTimeoutMs: 0 });
  instrumentation.enable();
  return instrumentation;
}

/** One for the whole process, on and off with telemetry: amqplib is loaded once, and only what saw that can change it. */
let instrumentation: AmqplibInstrumentation | null = null;

class AmqpClientSpans extends AmqplibInstrumentation {
  override setTracerProvider(provider: TracerProvider): void {
    super.setTracerProvider({ getTracer: (name, version, options) => clientTracer(provider.getTracer(name, version, options)) });
  }
}

function clientTracer(tracer: Tracer): Tracer {
  return {
    startSpan(name, options = {}, parent = context.active()) {
      const above = trace.getSpanContext(parent);
      if (options.kind !== SpanKind.PRODUCER) return trace.wrapSpanContext(above ?? INVALID_SPAN_CONTEXT);
      // Announcements are in no trace, and begin none.
      if (!above || !isSpanContextValid(above)) return NO_SPAN;
      return unsent(tracer.startSpan(name, clientOptions(options), parent));
    },
    startActiveSpan: tracer.startActiveSpan.bind(tracer) as Tracer["startActiveSpan"],
  };
}

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Where it went, by the names of today. What the message says about itself is told by the span above. */
function clientOptions({ attributes: own = {} }: SpanOptions): SpanOptions {
  return {
    kind: SpanKind.CLIENT,
    attributes: {
      ...currentInherited(),
      [attributeNames.messagingSystem]: "rabbitmq",
      [attributeNames.messagingOperationName]: "send",
      [attributeNames.messagingOperationType]: "send",
      [attributeNames.messagingDestination]: own[EXCHANGE],
      [attributeNames.serverAddress]: own[attributeNames.serverAddress],
      [attributeNames.serverPort]: own[attributeNames.serverPort],
    },
  };
}

/** The instrumentation's name for what a message is published to. */
const EXCHANGE = "messaging.destination";

/** The span as the instrumentation gets it: it has no context to write into the headers, which hold that of the span above already. */
function unsent(span: Span): Span {
  const facade: Span = {
    spanContext: (): SpanContext => INVALID_SPAN_CONTEXT,
    setAttribute(name, value) {
      span.setAttribute(name, value);
      return facade;
    },
    setAttributes(attributes) {
      span.setAttributes(attributes);
      return facade;
    },
    addEvent(name, attributes, time) {
      span.addEvent(name, attributes, time);
      return facade;
    },
    addLink(link) {
      span.addLink(link);
      return facade;
    },
    addLinks(links) {
      span.addLinks(links);
      return facade;
    },
    setStatus({ code }) {
      // No description: what a broker says may quote anything.
      span.setStatus({ code });
      return facade;
    },
    updateName(name) {
      span.updateName(name);
      return facade;
    },
    end: (time) => span.end(time),
    isRecording: () => span.isRecording(),
    recordException: () => undefined,
  };
  return facade;
}
