import type { IncomingMessage, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type Provider from "oidc-provider";

/** Answers a request for the page on which a person signs in. Returns false for a request to any other address. */
export async function answeredByLogin(provider: Provider, request: IncomingMessage, answer: ServerResponse): Promise<boolean> {
  if (request.url?.startsWith("/login/") !== true) return false;
  if (request.method === "GET") {
    answer.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
    return true;
  }
  const form = new URLSearchParams(await textOf(request));
  const login = form.get("login") ?? "";
  const result = form.has("cancel") || login === "" ? { error: "access_denied" } : { login: { accountId: login } };
  await provider.interactionFinished(request, answer, result, { mergeWithLastSubmission: false });
  return true;
}

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Login</title></head><body><main><h1>The provider</h1>
<form method="post"><label>Login <input name="login"></label><button>Continue</button><button name="cancel" value="yes">Cancel</button></form>
</main></body></html>`;
