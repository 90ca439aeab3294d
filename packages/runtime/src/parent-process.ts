import type { Service } from "./service.ts";

/** The report of a process to its parent, sent once when its services accept work. */
export interface Started {
  readonly toolbus: "started";
  /** The addresses of the services that listen, by name. */
  readonly urls: Readonly<Record<string, string>>;
}

/** Reports to the parent process, if there is one, that the services of this process have started. */
export function notifyParent(services: ReadonlyMap<string, Service> = new Map()): void {
  const urls = Object.fromEntries([...services].flatMap(([name, service]) => (isListening(service) ? [[name, service.url]] : [])));
  const said: Started = { toolbus: "started", urls };
  // The callback prevents an uncaught error if the channel has just been closed. The process learns of this by the event "disconnect", and then stops
  // properly.
  process.send?.(said, undefined, undefined, () => undefined);
}

export function isStarted(said: unknown): said is Started {
  return typeof said === "object" && said !== null && "toolbus" in said && said.toolbus === "started" && "urls" in said;
}

function isListening(service: Service): service is Service & { readonly url: string } {
  return "url" in service && typeof service.url === "string";
}
