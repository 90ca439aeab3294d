import path from "node:path";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { Fault, short } from "./config-fault.ts";

/** The sandbox of a server that the bridge starts. */
export interface Sandbox {
  /** The files and folders that the server sees besides the folders of the system. The last of two binds that overlap applies. */
  readonly bind: readonly Bind[];
  /** Whether the server has the network of the bridge, with the services that listen on this machine only. */
  readonly network: boolean;
}

export interface Bind {
  /** An absolute path without `..`. The server sees it under the same path. */
  readonly path: string;
  readonly write: boolean;
}

/** The sandbox of the setting `true`: no network, and no files other than those of the system. */
export const CLOSED: Sandbox = { bind: [], network: false };

/**
 * Reads the setting `sandbox` of an entry. Returns null if the server has none. `fill` replaces variables in a text. Throws a `Fault` for a setting
 * that it does not understand, because an operator may believe that it is a guard.
 */
export function sandboxOf(value: Json | undefined, fill: (text: string, place: string) => string): Sandbox | null {
  if (value === undefined || value === false) return null;
  if (value === true) return CLOSED;
  if (!isJsonObject(value)) throw new Fault('needs "sandbox" as true, false, or an object with "bind" and "network"');
  onlyWords(value, ["bind", "network"], "sandbox");
  const { bind = [], network = false } = value;
  if (typeof network !== "boolean") throw new Fault('needs "sandbox.network" as true or false');
  if (!Array.isArray(bind)) throw new Fault('needs "sandbox.bind" as a list of paths');
  return { network, bind: bind.map((one) => bindOf(one, fill)) };
}

/** The prefix of a path that the server may write to. */
const WRITABLE = "rw:";

function bindOf(value: Json, fill: (text: string, place: string) => string): Bind {
  if (typeof value === "string") {
    const write = value.startsWith(WRITABLE);
    return { path: pathOf(fill(write ? value.slice(WRITABLE.length) : value, "sandbox.bind")), write };
  }
  if (!isJsonObject(value) || typeof value["path"] !== "string")
    throw new Fault('needs each "sandbox.bind" as a path, "rw:" with a path, or {"path": "…", "write": true}');
  onlyWords(value, ["path", "write"], "sandbox.bind");
  const { write = false } = value;
  if (typeof write !== "boolean") throw new Fault('needs "write" in "sandbox.bind" as true or false');
  return { path: pathOf(fill(value["path"], "sandbox.bind")), write };
}

/** A bind of the whole file system, or of a folder that the sandbox replaces, would end the sandbox. */
const REFUSED: readonly string[] = ["/", "/proc", "/dev", "/tmp"];

function pathOf(text: string): string {
  if (!path.isAbsolute(text)) throw new Fault(`needs the path "${short(text)}" in "sandbox.bind" to begin with "/"`);
  const whole = path.resolve(text);
  if (REFUSED.includes(whole)) throw new Fault(`may not bind "${whole}" into its sandbox: name the folders that it needs`);
  return whole;
}

function onlyWords(value: JsonObject, known: readonly string[], place: string): void {
  const unknown = Object.keys(value).find((word) => !known.includes(word));
  if (unknown !== undefined) throw new Fault(`has an unknown word "${short(unknown)}" in "${place}": use ${known.join(", ")}`);
}
