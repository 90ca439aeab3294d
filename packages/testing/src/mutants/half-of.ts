import { hash } from "node:crypto";

/** Returns a half of the mutants. The same text always selects the same ones. */
export function halfOf<T extends { readonly name: string }>(all: readonly T[], text: string): readonly T[] {
  const place = ({ name }: T): string => hash("sha256", `${text} ${name}`);
  return all.toSorted((one, other) => place(one).localeCompare(place(other))).slice(0, Math.ceil(all.length / 2));
}
