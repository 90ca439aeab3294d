import { isJsonObject, type Json, visible } from "@toolbus/contracts";

/** What a server asks of its client, beside answers to calls. Toolbus offers none of it. */
const REQUESTS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

/** The error for a call that the server ends with a request of its own. Nobody knows how much of the call the server executed. */
export class ServerAsked extends Error {
  override readonly name = "ServerAsked";
}

/** Returns whether the bridge knows this request of a server, and refuses it by name. */
export function isRefusedRequest(method: string): boolean {
  return REQUESTS.some((known) => known === method);
}

/**
 * Returns the sentence about a refused request, for the server and for viewers of the run. It quotes the question of a form and no address, because a
 * viewer must not open an address that a server chose.
 */
export function refusalOf(method: string, params: unknown): string {
  switch (method) {
    case "elicitation/create": {
      const { mode, message } = asked(params);
      if (mode === "url")
        return "The server asked a person to open an address. Toolbus declined, because it opens no addresses for servers.";
      const question = typeof message === "string" ? ` ("${visible(message.slice(0, QUESTION_CHARS)).toWellFormed()}")` : "";
      return `The server asked a person a question${question}. Toolbus declined, because it passes no questions of servers on.`;
    }
    case "sampling/createMessage":
      return "The server asked for an answer of a language model (sampling). Toolbus refused, because it lends its models to no server.";
    case "roots/list":
      return "The server asked for the folders that it may use (roots). Toolbus refused, because it has none for servers.";
    default:
      return "The server sent a request that Toolbus does not know. Toolbus refused it.";
  }
}

const QUESTION_CHARS = 200;

function asked(params: unknown): { readonly mode?: Json; readonly message?: Json } {
  return isJsonObject(params as Json) ? (params as { readonly mode?: Json; readonly message?: Json }) : {};
}
