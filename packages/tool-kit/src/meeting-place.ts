/** The addresses of the bus and of the store, where a worker meets the other services. */
export interface MeetingPlace {
  readonly busUrl: string;
  readonly stateUrl: string;
}

/**
 * Returns why a worker in a process of its own meets no other service there, with the remedy. Returns null if it may meet them. A bus or a store in
 * memory is only in this process, and a store on SQLite belongs to one process.
 */
export function whyAlone({ busUrl, stateUrl }: MeetingPlace): string | null {
  if (busUrl.startsWith("memory:"))
    return 'no other process reaches the bus "memory:". Pass the BUS_URL of the other services as "busUrl", such as nats://127.0.0.1:4222.';
  const store = /^(?:memory:$|sqlite:)/.exec(stateUrl)?.[0];
  return store === undefined
    ? null
    : `no other process can use its store "${store}${store === stateUrl ? "" : "…"}". Pass the STATE_URL of the other services as "stateUrl", such as redis://127.0.0.1:6379.`;
}

/** Returns which address a worker lacks, with the remedy. Returns null if it has both. A variable that is not set mostly arrives as an empty text. */
export function whyNowhere({ busUrl, stateUrl }: Partial<MeetingPlace>): string | null {
  if (typeof busUrl !== "string" || busUrl.trim() === "")
    return 'it has no address of a bus. Set BUS_URL to the bus of the other services, such as nats://127.0.0.1:4222, and pass it as "busUrl".';
  if (typeof stateUrl !== "string" || stateUrl.trim() === "")
    return 'it has no address of a store. Set STATE_URL to the store of the other services, such as redis://127.0.0.1:6379, and pass it as "stateUrl".';
  return null;
}

/** Returns the place for a log. It shows servers and namespaces, and no logins and other options. */
export function placeInWords({ busUrl, stateUrl }: MeetingPlace): { readonly bus: string; readonly store: string } {
  return { bus: withoutLogin(busUrl), store: withoutLogin(stateUrl) };
}

function withoutLogin(url: string): string {
  const [, scheme = "", address = "", query = ""] = /^([a-z][a-z0-9+.-]*:)(?:\/\/([^?#]*))?(?:[^?#]*\?([^#]*))?/i.exec(url) ?? [];
  // An address of NATS may list several servers, with the scheme before each. The login is before the last "@".
  const hosts = address
    .slice(address.lastIndexOf("@") + 1)
    .replaceAll(/[a-z]+:\/\//gi, "")
    .replace(/\/.*$/, "");
  const namespace = new URLSearchParams(query).get("namespace");
  return `${scheme}${hosts === "" ? "" : `//${hosts}`}${namespace === null ? "" : `?namespace=${namespace}`}`;
}
