import { connect } from "node:net";

const DEADLINE_MS = 20_000;

/**
 * Sends a text to a server with a line-based protocol. Resolves with the whole answer as soon as the answer matches. Rejects if the connection ends
 * first, or at a deadline. It uses no client library, because these tests check servers.
 */
export function conversation(url: string, text: string, until: RegExp): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect(Number(port), hostname);
    const deadline = setTimeout(() => end(() => reject(new Error(`It did not say ${until}, but: ${heard}`))), DEADLINE_MS);
    const end = (settle: () => void): void => {
      clearTimeout(deadline);
      socket.destroy();
      settle();
    };
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("close", () => end(() => reject(new Error(`It ended before it said ${until}: ${heard}`))));
    socket.on("data", (piece: Buffer) => {
      heard += piece.toString();
      if (until.test(heard)) end(() => resolve(heard));
    });
    socket.write(text);
  });
}
