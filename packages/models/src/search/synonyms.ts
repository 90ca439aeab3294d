import { GROUPS } from "./synonym-groups.ts";
import { stem } from "./words.ts";

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
stats stat = statistics
init = initialize
exec = execute
cmd cmds = command
src = source
pkg pkgs = package
lib libs = library
spec specs = specification
prod = production
addr = address
proc procs = process
pics pic photos = image
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
