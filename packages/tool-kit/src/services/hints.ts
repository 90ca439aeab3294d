/** Things that say a word themselves, such as the number of a ticket, with these words. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\d.])-?\d{1,3}\.\d+\s*,\s*-?\d{1,3}\.\d+/, "coordinates latitude longitude"],
  [/\b\d[\d,.]*\s*(?:and|plus|\+)\s*\d/i, "numbers"],
  [/\b\d{2,5}\s*[x×]\s*\d{2,5}\b/, "resize width height"],
  [/\b[A-Z]{2,6}-\d+\b/, "issue"],
  [/\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[a-f\d]{7,40}\b/, "commit"],
  [/(?:^|\s)#[a-z][\w-]*/i, "channel"],
  [/(?:^|\s)@[a-z][\w-]*/i, "user"],
  [/(?:^|\s)["'(]?(?:~|\.{1,2})?\/[\w/-]+["'),.:;?!]*(?:\s|$)/i, "directory"],
  [/\b(?:README|LICENSE|CHANGELOG|Dockerfile|Makefile)\b/, "file"],
  [/^(?:which|what)\s+(?:\p{L}+\s+){0,2}\p{L}{2,}[^s\W]s\b/iu, "list"],
  [/^(?:(?:show|give|tell) me )?(?:all |any )?(?:of )?(?:my|our)\s+(?:\p{L}+\s+){0,1}\p{L}{2,}[^s\W]s\b/iu, "list"],
  [/\b(?:document|window|console)\.\w+|\w\(\)/, "script"],
  [/\b(?:these|those|all|the)\s+\d{1,4}\s+\p{L}/iu, "multiple batch"],
];

/** Phrases that people use for an action, without the words of the tools. Each line has a pattern and the words that it means. */
const PHRASES = `
how many = count number
how (big|large) = size
how (far|long is the (drive|ride|way|walk|trip)) = distance directions
how high|altitude = elevation height
how often = count usage
(turn|make|transform|change) .{1,60} into = convert
where (is|are|in|did|can) = search locate
to the (left|right|top|bottom|front|end|back) of = position
keep (me|us) (updated|posted) = monitor
(go|head|browse|surf) to|visit = navigate
go back = navigate back
(keep|have) an eye on|(tell|warn|notify|alert) (me|us) (when|if|as soon as) = monitor create
every (day|hour|week|morning|minute)|daily|hourly = monitor schedule
what('s| is) (new|happening|going on)|what happened = recent activity
screen ?(grab|shot|print)|(picture|photo|image) of the (screen|page|window) = screenshot
mouse over = hover
(way|get|route|trip) from .{1,60} to = directions route
how much (memory|space|disk|storage) = storage size usage
is .{1,60} (up|alive|running|healthy|reachable) = status health
let .{1,60} know|(tell|write to|inform) (everyone|everybody|the (team|channel|group)) = send post message
leave a (note|comment|remark) = add comment
on the (web|internet)|online = web search
headlines = news
how (does|do|to) .{1,60} (work|use) = documentation
what (has )?changed = diff changes
why did .{1,60} (fail|break|crash) = failure logs
(did|do) .{1,60} pass = status test results
(grouped|group) by|average|per (day|month|year|country|customer|user|product) = aggregate group
all at once|in one go|together|in bulk = multiple batch
thumbs.?up|thumbs.?down = reaction
get rid of|take (off|out|away)|throw (away|out) = remove delete
sign off = approve review create
(look|search) (through|around)|dig up|hunt for = search
more than|less than|at least|at most|above|below|greater than|earlier than|later than = search filter
next page|further results = more
opening hours|near me|nearby|around here = local place business
(roll|put|bring|set) .{0,60}back (on|to) = rollback restore
on its own|by itself = autonomous agent
spin up|kick off|fire up = start
shut down|tear down = stop
set up = create
sum of|add up = sum
log in to = login
in the background = process
`
  .trim()
  .split("\n")
  .map((line): readonly [RegExp, string] => {
    const [phrase = "", words = ""] = line.split(" = ");
    return [new RegExp(`\\b(?:${phrase})\\b`, "iu"), words];
  });

/** Returns the words that a text means and does not say. */
export function hintsIn(text: string): readonly string[] {
  const found = [...FORMS, ...PHRASES].filter(([form]) => form.test(text));
  return [...new Set(found.flatMap(([, words]) => words.split(" ")))];
}
