/** The deepest nesting of arrays and objects that the strict parser accepts. */
export const MAX_JSON_DEPTH = 32;

/** Keys that access prototypes in some readers. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Returns the canonical text of a plain value, in one pass of the runtime's own writer, or null if the value is not plain. Almost all values are
 * plain. In a plain value, every object already has its keys in canonical order, and `JSON.stringify` writes every part as RFC 8785 wants it. A text
 * that equals the text of its plain value is also strict. It has no duplicate key, because the value would lack it, and no number or string that
 * is read as another one.
 */
export function plainText(value: unknown): string | null {
  if (!isPlain(value, MAX_JSON_DEPTH)) return null;
  const text = JSON.stringify(value);
  // The writer escapes only lone surrogates in this way. The text of a backslash before "ud" looks the same, and is left to the other writer.
  return text.includes("\\ud") ? null : text;
}

/** Returns whether every object has its keys in order, and only keys and values that canonical and strict JSON may both have. */
function isPlain(value: unknown, levels: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      // Strict JSON has no integer beyond 2^53 - 1.
      return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    case "object":
      if (value === null) return true;
      if (levels === 0) return false;
      return Array.isArray(value) ? isPlainList(value, levels) : isPlainObject(value, levels);
    default:
      return false;
  }
}

function isPlainList(list: readonly unknown[], levels: number): boolean {
  // An index also visits holes, which have no JSON form.
  for (let index = 0; index < list.length; index++) if (!isPlain(list[index], levels - 1)) return false;
  return true;
}

function isPlainObject(value: object, levels: number): boolean {
  // Other objects may have a form of their own (`toJSON`, a boxed value).
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let previous: string | undefined;
  for (const key of Object.keys(value)) {
    // This comparison is by UTF-16 code units, as RFC 8785 requires.
    if ((previous !== undefined && key <= previous) || FORBIDDEN_KEYS.has(key)) return false;
    if (!isPlain((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return false;
    previous = key;
  }
  return true;
}
