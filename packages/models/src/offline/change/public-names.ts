import type { ReleaseFacts } from "@toolbus/release-facts";

const PRIVATE =
  /(?:^|\/)(?:_(?!_init__\.py$)|\.|internals?\/|private\/|cmd\/|tests?\/|testing\/|examples?\/|docs?\/|bench\w*\/|scripts?\/|tools?\/)/i;

/** Methods that only the language or its library calls, so a type that has none of its own still has the usual one. */
const PROTOCOL = /\.(?:__\w{1,40}__|(?:Un)?[mM]arshal(?:Binary|JSON|Text|XML|YAML)|GoString)$/;

/** Returns true if users of the product may have this name: neither the file nor the name is for inner use, and the file is no script. */
export function isPublic(file: string, name: string, facts: ReleaseFacts): boolean {
  const { package: own } = facts;
  const inside = own?.directory ? file.slice(own.directory.length + 1) : file;
  if (
    PRIVATE.test(inside) ||
    (name.includes(".") && !/\.(?:go|py)$/.test(file)) ||
    /^(?:_|unstable|experimental|internal)/i.test(name) ||
    PROTOCOL.test(name) ||
    name === "default" ||
    isScript(inside, facts)
  )
    return false;
  // In JavaScript, most exports are for other files of the same package. Users see the entry files.
  return /\.[cm]?[jt]sx?$/.test(inside) ? /^(?:(?:src|lib|types)\/)?(?:index|main|mod)(?:\.d)?\.[cm]?[jt]sx?$/.test(inside) : true;
}

/** In a project with its code in folders, a Python file beside them is a script of the build. Alone, such a file is the module itself. */
function isScript(path: string, { files }: ReleaseFacts): boolean {
  return (
    /^[^/]+\.py$/.test(path) &&
    files.list.some(({ path: other, kind }) => kind === "code" && /\/.*\.(?:py|pyx|pxi|c)$/.test(other) && !PRIVATE.test(other))
  );
}
