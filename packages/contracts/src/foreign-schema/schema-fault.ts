/** Why a schema is not used: where (a JSON Pointer, "" for the schema itself) and what, as a sentence for the author of the tool. */
export interface SchemaFault {
  readonly pointer: string;
  readonly reason: string;
}

/** A refused schema. Never leaves this module: `foreignSchema` returns the fault as a value. */
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

/** The pointer of a member (RFC 6901). */
export function below(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Foreign text quoted in a sentence: short, and on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
