import { fileURLToPath } from "node:url";
import { stdioTransport } from "../toolsets/mcp/stdio-transport.ts";

// A test kills this program in place of a bridge. It starts a server that does not exit at the end of its input, and prints the server's answer.
const file = fileURLToPath(new URL("hostile-server.ts", import.meta.url));
const transport = stdioTransport({ command: process.execPath, args: [file, "stays"], env: {} });
transport.onmessage = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
await transport.start();
await transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add-one", arguments: {} } });
