import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** Where the services of a Toolbus listen. */
export interface ServiceAddresses {
  readonly gatewayUrl: string;
  readonly approvalsUrl: string;
}

/**
 * Writes where the services listen to `addresses.json` in the data directory, so that the command line finds them on any port. Returns a function that removes
 * the file when Toolbus stops. After a kill the file stays, and the next start writes it again. Never rejects: without the file everything works, so a fault
 * is only said.
 */
export async function keepAddresses(
  directory: string,
  { gatewayUrl, approvalsUrl }: ServiceAddresses,
  say: (text: string) => void,
): Promise<() => Promise<void>> {
  const file = path.join(directory, "addresses.json");
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file, `${JSON.stringify({ gateway: hereOf(gatewayUrl), approvals: hereOf(approvalsUrl) })}\n`, { mode: 0o600 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    say(`${file} cannot be written (${code}), so other commands may need --url and --approvals-url.\n`);
  }
  return () => rm(file, { force: true }).catch(() => undefined);
}

/** A service that listens on every interface also listens on loopback, and only this address is one to connect to. */
function hereOf(url: string): string {
  const address = new URL(url);
  if (address.hostname === "0.0.0.0" || address.hostname === "[::]") address.hostname = "127.0.0.1";
  return address.href.replace(/\/+$/, "");
}
