import { signatureOf } from "./signature.ts";

const FIELD = "field ";
const DEMAND = "demand ";

/** Identifies a field of a type by the text of its own type. */
export function fieldOf(text: string): string {
  return `${FIELD}${signatureOf(text)}`;
}

/** Marks the signature of a method that every implementation of an interface must have. */
export function demandedBy(signature: string): string {
  return `${DEMAND}${signature}`;
}

/** Returns whether a signature is that of a field. A new field breaks nobody. */
export function isField(signature: string): boolean {
  return signature.startsWith(FIELD);
}

/** Returns whether a signature is that of a method that implementations must have. A new one breaks the implementations that others have. */
export function isDemanded(signature: string): boolean {
  return signature.startsWith(DEMAND);
}

/**
 * Returns the type of a member, such as "Server" for "Server.Start" and "Server::start", or the function of a parameter, such as "start" for "start(port)".
 * Empty if the name has neither.
 */
export function ownerOf(name: string): string {
  return /^(.+)(?:(?:\.|::)\w+|\([\w*]+\))$/.exec(name)?.[1] ?? "";
}
