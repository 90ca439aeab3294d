import { stem } from "./words.ts";

/**
 * Words that people and the authors of tools use for the same thing, one group a line. People say "my pictures" and "put a note", while tools are named
 * "list_images" and "add_comment". A word may be in several groups, and the groups are not joined.
 */
const GROUPS = `
create add new make insert append register start fresh build
create open file raise
delete remove drop erase clear discard purge destroy wipe empty
get read retrieve fetch show view display see print
list all enumerate every
search find look query lookup locate
update edit change modify set patch alter adjust
rename move shift relocate
put add place insert
put move
assign responsible owner
send post publish submit tell announce
reply answer respond
run execute launch trigger invoke
rerun retry again
stop end kill terminate cancel abort halt
close finish
copy duplicate clone
check validate verify lint mistake error
install deploy
upload attach
download save export
connect attach
undo revert rollback restore previous
reload refresh
scrape extract
summarize summary digest
explain describe documentation
review approve
watch monitor notify warn
count number many
sum add plus total
image picture photo
screenshot picture
video recording
directory folder subfolder
user person people member everyone who
comment remark note
record row entry item
record log jot
field column property attribute
issue ticket bug
shell terminal command console
website site web internet
url link address
address location place
documentation docs manual
paper article publication
process program
computer machine system disk local
size big large
history recent activity past
change diff difference
status state health
failure fail red broken
environment variable
configuration setting option
setting preference
page tab
picture icon
container pod
collection table
document file
customer contact
company organization
message chat
emoji reaction
drive travel route directions distance
key keyboard press
autonomous agent
text content contents body
`;

/** Abbreviations that are usual in the names of tools and in talk about them, each line with what they mean. */
const ABBREVIATIONS = `
repo repos = repository
pr prs = pull request
mr mrs = merge request
db dbs = database
env = environment
config configs cfg = configuration
dir dirs = directory
doc docs = documentation
k8s = kubernetes
msg msgs = message
info = information
img = image
js = javascript
ns = namespace
auth = authentication
org orgs = organization
params param = parameter
args arg = argument
id ids = identifier
app apps = application
url urls = link
pic pics = picture
mongo = mongodb
pg postgresql = postgres
perf = performance
deps = dependency
svc = service
attr attrs = attribute
desc = description
num nums = number
prev = previous
tmp temp = temporary
max = maximum
min = minimum
del = delete
rm = remove
ls = list
mkdir = create directory
mv = move
cp = copy
`;

const groups = linesOf(GROUPS).map((line) => [...new Set(line.split(" ").map(stem))]);

const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(groups.flat())].map((root) => [
    root,
    [...new Set(groups.filter((group) => group.includes(root)).flat())].filter((other) => other !== root),
  ]),
);

const longForms: ReadonlyMap<string, readonly string[]> = new Map(
  linesOf(ABBREVIATIONS).flatMap((line) => {
    const [short = "", long = ""] = line.split(" = ");
    return short.split(" ").map((word) => [word, long.split(" ")] as const);
  }),
);

/** Returns the roots of the words that may stand for a word, without the word itself. `root` is the root of the word. */
export function synonymsOf(root: string): readonly string[] {
  return synonyms.get(root) ?? NONE;
}

/** Returns the words that an abbreviation means, such as "pull" and "request" for "pr", or none for a word that is no abbreviation. */
export function meantBy(word: string): readonly string[] {
  return longForms.get(word) ?? NONE;
}

const NONE: readonly string[] = [];

function linesOf(text: string): readonly string[] {
  return text.trim().split("\n");
}
