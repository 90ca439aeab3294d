import { conversation } from "./raw-conversation.ts";

/** Sends a request to JetStream's API with the login in the URL, and returns the answer's JSON. */
export async function natsApi(url: string, subject: string, body: unknown = {}): Promise<unknown> {
  const { username, password } = new URL(url);
  const login = username === "" ? {} : { user: username, pass: password };
  const payload = JSON.stringify(body);
  const hello = `CONNECT ${JSON.stringify({ verbose: false, ...login })}\r\nSUB reply 1\r\n`;
  const heard = await conversation(url, `${hello}PUB ${subject} reply ${payload.length}\r\n${payload}\r\n`, /MSG reply [^\r]*\r\n.*\r\n/);
  return JSON.parse(/MSG reply [^\r]*\r\n(.*)\r\n/.exec(heard)?.[1] ?? "null");
}
