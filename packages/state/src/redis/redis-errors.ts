import { type StoreFault, StoreRefused, StoreUnavailable } from "../state-store.ts";

/** The first words of a server's errors, and their meaning for the caller. No message repeats the command, because its arguments may be secret. */
const unavailable: Readonly<Record<string, string>> = {
  LOADING: "is reading its data from disk",
  BUSY: "is busy with somebody's script",
  OOM: "has reached maxmemory and accepts no more: give it more memory, or remove old data",
  MISCONF: "cannot write to its disk, and so refuses to change anything",
  NOREPLICAS: "has fewer replicas than min-replicas-to-write asks for",
  READONLY: "is a replica now",
  MASTERDOWN: "is a replica that has lost its primary",
  CLUSTERDOWN: "belongs to a cluster that is not complete",
  TRYAGAIN: "is moving a slot to another node",
  UNBLOCKED: "has ended the waiting command",
};

const faults: Readonly<Record<string, StoreFault>> = {
  OOM: "memory",
  MISCONF: "disk",
  NOREPLICAS: "replicas",
  READONLY: "read-only",
};

const refused: Readonly<Record<string, string>> = {
  WRONGPASS: "refuses the login: correct user and password in the URL",
  NOAUTH: "requires a login: put user and password into the URL",
  NOPERM: "does not permit this user what the state store needs: give it rights on its keys and on the commands of scripts",
  DENIED: "is in protected mode and accepts only connections from its own machine: give it a password",
  WRONGTYPE: "holds other data under a key of the state store: name another database or a separate namespace",
};

/**
 * Returns the port's error for a failure of Redis or of the connection. An error in our own code stays as it is, without the command that it names.
 */
export function storeErrorOf(error: unknown, shown: string): Error {
  if (!(error instanceof Error)) return new StoreUnavailable(`${shown} failed.`);
  if (error.name !== "ReplyError") return new StoreUnavailable(`${shown} ${failureOf(error)}.`);
  const word = /^[A-Z]+/.exec(error.message)?.[0] ?? "";
  const reason = unavailable[word];
  if (reason !== undefined) return new StoreUnavailable(`${shown} ${reason}.`, { fault: faults[word] });
  const refusal = refusalOf(error, shown);
  if (refusal) return refusal;
  return new Error(`${shown} answered: ${error.message.slice(0, 300)}`);
}

/** Returns the refusal for a problem that does not fix itself. Returns null for everything else, above all for an unavailable server. */
export function refusalOf(error: unknown, shown: string): StoreRefused | null {
  if (!(error instanceof Error)) return null;
  if (error.name === "ReplyError") {
    const reason = refused[/^[A-Z]+/.exec(error.message)?.[0] ?? ""];
    if (reason !== undefined) return new StoreRefused(`${shown} ${reason}.`);
    if (error.message.includes("DB index is out of range")) {
      return new StoreRefused(`${shown} has no database with that number: name a smaller one in the path of the URL.`);
    }
    if (error.message.includes("SELECT is not allowed in cluster mode")) {
      return new StoreRefused(`${shown} belongs to a cluster, which has only database 0: remove the path from the URL.`);
    }
    return null;
  }
  const code = codeOf(error);
  if (/^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) {
    return new StoreRefused(
      `${shown} shows no certificate that can be trusted (${code}): give it one, or name your own authority in NODE_EXTRA_CA_CERTS.`,
    );
  }
  return null;
}

/** Returns the end of a sentence that says why the server could not be reached. */
export function failureOf(error: Error): string {
  if (error.message === "Command timed out" || error.message.startsWith("Socket timeout.")) return "did not answer in time";
  const code = codeOf(error);
  if (code === "ETIMEDOUT") return "did not answer in time";
  if (code === "ECONNREFUSED") return "refuses connections: nothing listens there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "cannot be found: its host name has no address";
  return code === "" ? "cannot be reached" : `cannot be reached (${code})`;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
