/**
 * Words that people and the authors of tools use for the same thing, one group a line. People say "my pictures" and "put a note", while tools are named
 * "list_images" and "add_comment". A word may be in several groups, and the groups are not joined.
 */
export const GROUPS = `
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
run execute launch trigger invoke start exec
start begin launch open
statistics stats
initialize init
identifier id
transform convert turn
import insert load create
configure set config
email mail
script javascript code
write save append
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
computer machine desktop
disk drive filesystem
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
elevation altitude height
geocode coordinates latitude longitude
distance far
stash shelve
fork copy
branch checkout switch
tag label category
scale replicas
rollout restart redeploy
drain cordon evacuate evict
logs output
port tunnel
ping alive reachable
flaky unstable unreliable intermittent
artifact asset file
pipeline build ci
job task
task todo ticket
workflow automation
index indices
mapping field schema
schema structure type
aggregate group
reaction like
thread conversation discussion
channel room
graph knowledge memory
entity node
observation fact
relation relationship link association
resize size
emulate simulate imitate throttle
heapsnapshot memory leak
audit quality accessibility seo
screencast record film
dialog popup alert prompt
hover mouse pointer
fill enter complete
type enter write
form field
select choose pick
tab window
usage consumption
credit balance quota
feedback complaint opinion rating
crawl spider
map sitemap
parse extract
news headline
local nearby
profile details
details detail info information
workspace project
branch line
merge join combine
commit save
pull fetch download update
push upload
reset undo unstage
clean cleanup remove
workflow job
context environment
session browser
navigate go open visit
act perform do
observe identify spot
wait until
evaluate execute code
snapshot state
upgrade update
uninstall remove delete
chart package
resource object
generic arbitrary
storage space
disconnect close
template pattern
theme design
library package framework
prompt instruction
tool function
limit restrict
deal opportunity sale
engagement activity call meeting note
property attribute field
page site website
block paragraph
parent under
list index catalogue
member colleague teammate
due deadline
archive hide
attachment file
active current
rating review
performance speed slow fast
network http traffic
request call
console log
style css
screenshot capture
video clip movie
search google
research investigate study
summary overview
owner author
latest newest recent last
allowed permitted access
info metadata
multiple several many
tree structure hierarchy
edit fix correct
kill force
export dump
rename retitle
query sql select
`;
