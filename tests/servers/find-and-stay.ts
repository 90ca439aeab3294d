// A process that finds a server and reports it as one line of JSON. It exits when its standard input ends.
import { findServer, type ServerKind } from "@toolbus/testing/servers";

const found = await findServer(process.argv[2] as ServerKind);
process.stdout.write(`${JSON.stringify(found)}\n`);
process.stdin.resume();
