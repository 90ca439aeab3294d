/**
 * The reason why a schema is not used. `pointer` is a JSON Pointer to the place ("" for the schema itself). `reason` is a sentence for the author of
 * the tool.
 */
export interface SchemaFault {
  readonly pointer: string;
  readonly reason: string;
}

/** The error for a refused schema. It never leaves this module, because `foreignSchema` returns the fault as a value. */
export class SchemaRefused extends Error {
  override readonly name = "SchemaRefused";
  readonly fault: SchemaFault;

  constructor(fault: SchemaFault) {
    super(fault.pointer === "" ? fault.reason : `${fault.pointer}: ${fault.reason}`);
    this.fault = fault;
  }
}

export function refuse(pointer: string, reason: string): never {
  throw new SchemaRefused({ pointer: pointer.length > MAX_POINTER ? `${pointer.slice(0, MAX_POINTER)}…` : pointer, reason });
}

const MAX_POINTER = 200;

/** Returns the pointer of a member (RFC 6901). */
export function below(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns foreign text as a short quotation on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
