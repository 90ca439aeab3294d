import type { Attributes, Exception } from "@opentelemetry/api";

/** Returns the attributes of an exception that a tool records, as the SDK names them. */
export function exceptionAttributes(exception: Exception): Attributes {
  if (typeof exception === "string") return { "exception.message": exception };
  const { code, name, message, stack } = exception;
  const type = code === undefined ? name : String(code);
  return {
    ...(type === undefined ? {} : { "exception.type": type }),
    ...(message === undefined ? {} : { "exception.message": message }),
    ...(stack === undefined ? {} : { "exception.stacktrace": stack }),
  };
}
