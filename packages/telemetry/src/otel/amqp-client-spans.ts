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
 * Returns the instrumentation of amqplib, reduced to one client span beneath each of our publish spans. The client span covers the time from the
 * write of the frame to the broker's confirm. The unreduced instrumentation would create a second producer span for each publish and a second
 * consumer span for each delivery. It would also overwrite the message's trace context. We create the producer and consumer spans ourselves, as on
 * every other bus.
 */
export function amqpClientSpans(): AmqplibInstrumentation {
  // No span of a delivery waits for its ack, so none needs a timeout.
  instrumentation ??= new AmqpClientSpans({ consumeTimeoutMs: 0 });
  instrumentation.enable();
  return instrumentation;
}

/**
 * The one instrumentation of the process, which is switched on and off with telemetry. amqplib is loaded once, and only an instrumentation that
 * existed before that can patch it.
 */
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
      // A message outside every trace, such as an announcement, must not start a trace.
      if (!above || !isSpanContextValid(above)) return NO_SPAN;
      return unsent(tracer.startSpan(name, clientOptions(options), parent));
    },
    startActiveSpan: tracer.startActiveSpan.bind(tracer) as Tracer["startActiveSpan"],
  };
}

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/**
 * Returns the options of a client span, with the destination under the current names of the conventions. The parent span describes the message
 * itself.
 */
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

/** The name that the instrumentation uses for the destination of a publish. */
const EXCHANGE = "messaging.destination";

/**
 * Returns the span for the instrumentation. Its context is invalid, so that the instrumentation writes nothing into the headers. The headers already
 * contain the context of the parent span.
 */
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
      // The description is omitted, because an error message of a broker may quote anything.
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
