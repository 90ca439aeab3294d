import { stem } from "./words.ts";

/**
 * Words that people and the authors of tools use for the same thing, one group a line. People say "my pictures" and "put a note", while tools are named
 * "list_images" and "add_comment".
 */
const GROUPS = `
create add new make insert put append write register open
delete remove drop erase forget clear throw discard purge
get retrieve read fetch show view see give display open
list which all every enumerate
search find look query lookup
update edit change modify set patch assign
send post write tell publish submit notify say
reply answer respond
run execute start trigger launch perform
rerun again retry
stop end kill terminate cancel abort
move rename
copy duplicate clone
check validate verify valid lint
install deploy
count many number
sum plus total
description details explain about
history recent activity happened
image picture photo screenshot
directory folder
user person people member who account
comment note remark review
document record row entry item page
field column property
issue ticket bug
branch fork
shell terminal command exec
website site url link web
address location place
travel distance route directions
contact customer company object
news headlines
paper article publication
documentation docs manual
process program task
channel chat
my assigned mine me
size big large
watch monitor
`;

const groups = GROUPS.trim()
  .split("\n")
  .map((line) => [...new Set(line.split(" ").map(stem))]);

/** Returns the roots of the words that may stand for a word, without the word itself. `root` is the root of the word. */
export function synonymsOf(root: string): readonly string[] {
  return synonyms.get(root) ?? [];
}

const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(groups.flat())].map((root) => [
    root,
    [...new Set(groups.filter((group) => group.includes(root)).flat())].filter((other) => other !== root),
  ]),
);
