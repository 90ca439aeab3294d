import {
  type ApprovalView,
  cardOf,
  type EditChanges,
  type Json,
  type JsonObject,
  MOST_EDIT_FIELDS,
  type Problem,
  type ToolDefinition,
} from "@toolbus/contracts";

/** One argument in the form of an edit. */
export interface EditField {
  readonly name: string;
  /** The name of the field in the form, such as `v0`. */
  readonly id: `v${number}`;
  /** How the person types the value. `text` is the value itself. The other kinds are JSON. */
  readonly kind: "text" | "number" | "choice" | "json";
  /** The JSON texts to choose from. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** True if the form does not show the value as it is. The field is empty then, and an empty field keeps the value. */
  readonly isConcealed: boolean;
  /** The text in the field before the person types. */
  readonly text: string;
  readonly hint: string;
}

/** Returns the fields of an edit, in the order of the definition. Returns null if the definition has more arguments than a form can have. */
export function editFields(
  { parameters }: ToolDefinition,
  current: JsonObject,
  view: ApprovalView,
  now: number,
): readonly EditField[] | null {
  const schema = parameters as { readonly properties?: JsonObject; readonly required?: readonly string[] };
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > MOST_EDIT_FIELDS) return null;
  const masked = cardOf(view, now).arguments.flatMap((line) => (line.masked === undefined ? [] : [line.masked.pointer]));
  return properties.map(([name, property], n) => {
    const value = Object.hasOwn(current, name) ? current[name] : undefined;
    const own = `/arguments${pointerOf(name)}`;
    const isConcealed =
      masked.some((pointer) => pointer === "/arguments" || pointer === own || pointer.startsWith(`${own}/`)) ||
      JSON.stringify(value) !== JSON.stringify(view.arguments?.[name]);
    const { kind, choices } = kindOf(property as JsonObject, value);
    const shown = isConcealed || value === undefined ? "" : textOf(value, kind);
    const description = (property as JsonObject)["description"];
    return {
      name,
      id: `v${n}`,
      kind,
      choices,
      isRequired: (schema.required ?? []).includes(name),
      isConcealed,
      text: shown,
      hint: typeof description === "string" ? description : "",
    };
  });
}

/** The changes that a person typed, or what is wrong with a field. */
export type TypedChanges =
  | { readonly ok: true; readonly changes: EditChanges }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** What a person typed, by the id of the field. */
export type TypedFields = Readonly<Partial<Record<EditField["id"], string>>>;

/** Reads the fields as a form sends them. A field that the person left as it was changes nothing. */
export function typedChanges(fields: readonly EditField[], current: JsonObject, form: TypedFields): TypedChanges {
  const [set, unset, problems]: [[string, Json][], string[], Problem[]] = [[], [], []];
  for (const field of fields) {
    // A browser sends each line break as two characters.
    const typed = form[field.id]?.replaceAll("\r\n", "\n");
    if (typed === undefined || typed === field.text) continue;
    const isThere = Object.hasOwn(current, field.name);
    if (typed === "" && !(field.kind === "text" && field.isRequired)) {
      if (isThere) unset.push(field.name);
      continue;
    }
    const value = field.kind === "text" ? typed : jsonOf(typed.trim());
    if (value === undefined)
      problems.push({ path: `/${field.name}`, message: field.kind === "number" ? "is not a number" : "is not JSON" });
    else set.push([field.name, value]);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, changes: { set: Object.fromEntries(set), unset } };
}

/** Returns whether a problem with edited arguments is about this field. */
export function isAbout({ name }: EditField, { path }: Problem): boolean {
  const own = pointerOf(name);
  return path === own || path.startsWith(`${own}/`);
}

/** Returns a choice as people read it. A text needs no quotation marks. */
export function choiceInWords(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && value !== "" ? value : json;
}

/** Returns the arguments with the changes. */
export function withChanges(current: JsonObject, { set, unset }: EditChanges): JsonObject {
  const kept = Object.entries(current).filter(([name]) => !unset.includes(name));
  return { ...Object.fromEntries(kept), ...set };
}

function kindOf(property: JsonObject, value: Json | undefined): Pick<EditField, "kind" | "choices"> {
  const { type } = property;
  const choices = property["enum"];
  if (Array.isArray(choices)) return { kind: "choice", choices: choices.map((choice) => JSON.stringify(choice)) };
  if (type === "boolean") return { kind: "choice", choices: ["true", "false"] };
  if (type === "string" && (value === undefined || typeof value === "string")) return { kind: "text", choices: [] };
  return { kind: type === "number" || type === "integer" ? "number" : "json", choices: [] };
}

function textOf(value: Json, kind: EditField["kind"]): string {
  if (kind === "text" && typeof value === "string") return value;
  return kind === "json" ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

/** Returns the JSON Pointer to an argument. */
function pointerOf(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
