/** The form of a toolset's name. The name is a part of topics, of keys in the store and of grants. */
const TOOLSET_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Returns whether a text can be the name of a toolset. */
export function isToolsetName(text: string): boolean {
  return TOOLSET_NAME.test(text);
}

/** Says which names a toolset can have, as the end of a sentence about a name that it cannot have. */
export const TOOLSET_NAME_RULE = 'use lower-case letters, digits, "-" and "_", 32 at most';
