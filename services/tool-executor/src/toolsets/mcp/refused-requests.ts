/** What a server asks of its client, beside answers to calls. Toolbus offers only forms of elicitation. */
const REQUESTS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

/** The error for a call that the server ends with a request of its own. Nobody knows how much of the call the server executed. */
export class ServerAsked extends Error {
  override readonly name = "ServerAsked";
}

/** Returns whether the bridge knows this request of a server. */
export function isRefusedRequest(method: string): boolean {
  return REQUESTS.some((known) => known === method);
}

/**
 * Returns the sentence about a refused request, for the server and for viewers of the run. It contains no address, because a viewer must not open an
 * address that a server chose. `mode` is that of an elicitation.
 */
export function refusalOf(method: string, mode: unknown = "form"): string {
  switch (method) {
    case "elicitation/create":
      return mode === "url"
        ? "The server asked a person to open an address. Toolbus declined, because it opens no addresses for servers."
        : "The server asked a person a question in a form that Toolbus does not know. Toolbus declined.";
    case "sampling/createMessage":
      return "The server asked for an answer of a language model (sampling). Toolbus refused, because it lends its models to no server.";
    case "roots/list":
      return "The server asked for the folders that it may use (roots). Toolbus refused, because it has none for servers.";
    default:
      return "The server sent a request that Toolbus does not know. Toolbus refused it.";
  }
}

/** The sentence about a question that could be for any of several people. */
export const severalCalls =
  "The server asked a person a question while it had several calls or none. Toolbus declined, because it does not know whom to ask.";
