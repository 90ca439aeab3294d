import type { VersionStep } from "./release-facts.ts";

/** A version with up to three numbers, as tags and manifests write it. */
export interface Version {
  readonly text: string;
  readonly numbers: readonly [number, number, number];
  /** The part after the numbers, such as rc.1. Empty for a final version. */
  readonly pre: string;
}

// Tags write 1.2.3, v1.2.3, R_2_6_1 and 2.0.0a1. The length of each part is bounded, so the pattern cannot be slow.
const VERSION =
  /(?:^|[^0-9.])v?((\d{1,9})[._](\d{1,9})(?:[._](\d{1,9}))?(?:[-.]?((?:alpha|beta|rc|pre|dev|canary|next|a|b)[0-9A-Za-z.-]{0,40}))?)$/i;

// A tag that is only a number, such as v2, is a version. A number at the end of other words is not, because it may be a date or a build.
const WHOLE = /^v?(\d{1,5})$/i;

/** Returns the version at the end of a tag's name, or null if the name does not end with a version. */
export function versionOf(name: string): Version | null {
  const [, whole] = WHOLE.exec(name) ?? [];
  if (whole !== undefined) return { text: whole, numbers: [Number(whole), 0, 0], pre: "" };
  const [, text, major, minor, patch, pre] = VERSION.exec(name.slice(-100)) ?? [];
  if (text === undefined) return null;
  return { text: text.replaceAll("_", "."), numbers: [Number(major), Number(minor), Number(patch ?? 0)], pre: pre ?? "" };
}

/** Returns the name of a tag without its version: `@apollo/server@` for `@apollo/server@4.1.0`, and "v" for v1.0.0. */
export function seriesOf(tag: string): string {
  const version = versionOf(tag);
  if (!version) return tag;
  return tag.slice(0, tag.length - version.text.length);
}

/** Returns the step between two versions. `back` means that the second one is older. */
export function stepOf(from: Version | null, to: Version | null): VersionStep {
  if (!from || !to) return "unknown";
  const names = ["major", "minor", "patch"] as const;
  for (const [index, name] of names.entries()) {
    const difference = (to.numbers[index] ?? 0) - (from.numbers[index] ?? 0);
    if (difference < 0) return "back";
    if (difference > 0) return name;
  }
  return from.pre === to.pre ? "none" : "pre";
}

/** Returns whether semver lets this step break users: a major step, and in 0.x a minor step. */
export function mayBreak(step: VersionStep, from: Version | null): boolean {
  return step === "major" || (step === "minor" && from?.numbers[0] === 0);
}

/** Returns the first version in a requirement such as ^1.2.0, ~> 3.1 or >=2,<3, or null if it has none. */
export function firstVersionIn(requirement: string): Version | null {
  const [, text, major, minor, patch, pre] =
    /(?:^|[^0-9.])v?((\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,40}))?)/.exec(requirement.slice(0, 200)) ?? [];
  if (text === undefined) return null;
  return { text, numbers: [Number(major), Number(minor ?? 0), Number(patch ?? 0)], pre: pre ?? "" };
}
