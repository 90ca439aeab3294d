import type { Json } from "@toolbus/contracts";
import { KINDS, type Kind, type Shape } from "../shape.ts";
import { unite } from "../unite.ts";

/**
 * Returns the values that any form of an `anyOf` or `oneOf` accepts. With `one`, a value that fits two forms is not valid. The result cannot express
 * this rule, so the function reports a loss if two forms can overlap.
 */
export function alternatives(forms: readonly Shape[], at: string, one: boolean): Shape {
  const taking = forms.filter(({ fault }) => fault === null);
  const [first, ...more] = taking.length > 0 ? taking : forms;
  if (!first) throw new Error("alternatives of nothing");
  const united = more.reduce((all, form) => unite(all, form, at), first);
  const overlap =
    one && taking.length > 1 && !taking.every((form, index) => taking.slice(index + 1).every((other) => areDisjoint(form, other)));
  const telling = taking.filter(({ kinds }) => Object.keys(kinds).length > 1 || !kinds.null);
  const [only] = telling.length === 1 ? telling : [];
  return {
    ...united,
    at,
    // If there are several forms, the title and description of one of them do not apply to the whole.
    title: only?.title ?? "",
    description: only?.description ?? "",
    hints: only?.hints ?? formsInWords(taking),
    losses: overlap ? [...united.losses, { pointer: at, what: "That only one of the forms may fit is not passed on." }] : united.losses,
  };
}

/** Returns true if surely no value fits both. */
function areDisjoint(a: Shape, b: Shape): boolean {
  return KINDS.every((name) => {
    const [one, other] = [a.kinds[name], b.kinds[name]];
    return !one || !other || haveNoneInCommon(one, other) || haveOtherMarks(one, other);
  });
}

function haveNoneInCommon({ values: a }: Kind, { values: b }: Kind): boolean {
  if (!a || !b) return false;
  const values = new Set<Json>(b.list);
  return a.list.every((value) => !(typeof value === "object" && value !== null) && !values.has(value));
}

/** Returns true if a required property with different values distinguishes the objects of both kinds. */
function haveOtherMarks({ members: a }: Kind, { members: b }: Kind): boolean {
  for (const name of a.required) {
    if (!b.required.has(name)) continue;
    const [one, other] = [a.properties.get(name), b.properties.get(name)];
    if (one && other && areDisjoint(one, other)) return true;
  }
  return false;
}

/** Returns the description for forms that the schema cannot distinguish. */
function formsInWords(forms: readonly Shape[]): readonly string[] {
  const words = forms.slice(0, MAX_FORMS).map(formInWords);
  if (words.some((text) => text === "")) return [];
  const text = words.join("; ");
  return text.length > MAX_TEXT ? [] : [`One of: ${text}.`];
}

function formInWords({ kinds, description, title }: Shape): string {
  const about = description || title;
  const object = kinds.object;
  const scalar = kinds.string ?? kinds.number;
  if (object && object.members.properties.size > 0) {
    const marks = [...object.members.properties].flatMap(([name, shape]) => {
      const values = shape.kinds.string?.values?.list;
      return values?.length === 1 ? [`${name} = ${JSON.stringify(values[0])}`] : object.members.required.has(name) ? [name] : [];
    });
    return marks.length > 0 ? marks.join(", ") : about;
  }
  if (object && object.members.required.size > 0) return [...object.members.required].join(" and ");
  // The form is one of several single values, each with a description.
  if (scalar?.values?.list.length === 1 && about) return `${JSON.stringify(scalar.values.list[0])}: ${about}`;
  return "";
}

const MAX_FORMS = 12;
const MAX_TEXT = 600;
