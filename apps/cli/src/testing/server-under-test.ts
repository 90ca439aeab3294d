import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ServerUnderTest extends AsyncDisposable {
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly IncomingMessage[];
}

/** Starts a server on a free port that answers with the test's handler. */
export async function serverUnderTest(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<ServerUnderTest> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sends a problem in the form that every service uses. */
export function sendProblem(response: ServerResponse, status: number, problem: object): void {
  response.writeHead(status, { "content-type": "application/problem+json" }).end(JSON.stringify({ status, ...problem }));
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
