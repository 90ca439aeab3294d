import { describe, expect, it } from "vitest";
import { porter2 } from "./porter2.ts";

// Every 150th word of the vocabulary that Snowball publishes, and words for each step and exception, with the roots that Snowball publishes:
// https://github.com/snowballstem/snowball-data/tree/master/english, commit ba91f32.
const PUBLISHED = `
absolutely:absolut accusation:accus additionally:addit advantageously:advantag afraid:afraid airy:airi allowance:allow amenaide:amenaid
angers:anger antiopa:antiopa appertains:appertain archbishop:archbishop arranger:arrang aspirant:aspir athol:athol auk:auk awe:awe bak:bak
barbarous:barbar basted:bast beavers:beaver beheld:beheld benighted:benight betrayal:betray birds:bird bleat:bleat blundering:blunder
bonaparty:bonaparti bottomless:bottomless brasiliensis:brasiliensi briefer:briefer browndock:browndock bum:bum butterman:butterman
calculations:calcul cannot:cannot cards:card castanet:castanet ceded:cede challenging:challeng chart:chart chestnut:chestnut choose:choos
circular:circular cleansing:cleans clouds:cloud coeur:coeur colymbetes:colymbet commonwealth:commonwealth comprehending:comprehend conduce:conduc
conjoin:conjoin constancies:constanc contradictory:contradictori cooms:coom corrivals:corriv coupling:coupl cramping:cramp cringed:cring
crusoe:cruso curragh:curragh daggers:dagger dash:dash deceas:decea defenceless:defenceless deludes:delud deport:deport desists:desist
devilry:devilri diffidently:diffid disagree:disagre discoveries:discoveri dismounted:dismount dissolutions:dissolut divinities:divin donnys:donni
draft:draft droit:droit dumbness:dumb eastcheap:eastcheap efther:efther elizabeth:elizabeth emotional:emot endeavours:endeavour enlistment:enlist
entries:entri erflowing:erflow espy:espi evidences:evid executed:execut expired:expir extricating:extric falconbridge:falconbridg fastens:fasten
feel:feel feverous:fever finem:finem flakes:flake flitting:flit foil:foil forehorse:forehors fortuitous:fortuit fraughtage:fraughtag
frontal:frontal further:further ganges:gang gazette:gazett getrude:getrud glassful:glass god:god govern:govern gravel:gravel griping:gripe
guerra:guerra hacket:hacket hankers:hanker hastening:hasten heart:heart hemiptera:hemiptera hied:hie hobbled:hobbl hoodwinked:hoodwink hous:hous
humphrey:humphrey iaculis:iaculi imaginings:imagin implicate:implic inarticulate:inarticul inculcating:inculc industrious:industri ing:ing
inquisitiveness:inquisit int:int interruption:interrupt invigorating:invigor isolation:isol jeers:jeer jordan:jordan jutting:jut kindnesses:kind
kyind:kyind landlord:landlord launch:launch lechery:lecheri lestrake:lestrak lighting:light literatured:literatur loin:loin lovable:lovabl
lust:lust magazine:magazin malignant:malign manuals:manual martyrdom:martyrdom mayhap:mayhap meliboeus:meliboeus messengers:messeng milky:milki
misbehaved:misbehav mistrusted:mistrust monblaisir:monblaisir mores:more moveth:moveth muscles:muscl napier:napier necklace:necklac
newsmen:newsmen noddings:nod nourished:nourish obligation:oblig offenceful:offenc orgy:orgi outdares:outdar overflowing:overflow
oystherstown:oystherstown palynology:palynolog pardoning:pardon passio:passio pawing:paw pelt:pelt performers:perform pertain:pertain
philippe:philipp pies:pie pitchy:pitchi playfulness:play poast:poast pomposity:pompos possessing:possess practise:practis prefiguring:prefigur
pretensions:pretens probabilities:probabl prolixities:prolix proserpina:proserpina public:public purifier:purifi qualite:qualit quit:quit
ralph:ralph ravaged:ravag rebelling:rebel recorder:record reforms:reform rel:rel remuneration:remuner reprobate:reprob resource:resourc
returneth:returneth rhym:rhym rises:rise romping:romp roystering:royster ruthlessly:ruthless saltire:saltir satisfies:satisfi scapeth:scapeth
scoresby:scoresbi seacoast:seacoast seething:seeth serenities:seren shak:shak shepherdes:shepherd show:show sies:sie singe:sing skittish:skittish
slips:slip smoother:smoother sobre:sobr somewheres:somewher sowl:sowl spherical:spheric sprat:sprat staff:staff statists:statist
stigmatical:stigmat stoutly:stout stroke:stroke submerged:submerg suffolk:suffolk superiors:superior survey:survey swifter:swifter
tacticians:tactician tares:tare telephoridae:telephorida tertiary:tertiari thick:thick thrives:thrive tigress:tigress todpole:todpol total:total
transactions:transact trenched:trench trooping:troop tumblers:tumbler twitched:twitch unavoidably:unavoid uncomplainingly:uncomplain
undesirable:undesir unfortunately:unfortun unkempt:unkempt unpeopled:unpeopl unsafe:unsaf untaxed:untax upholding:uphold vacillating:vacil
vast:vast verges:verg vigour:vigour vittoria:vittoria vraiment:vraiment waltzers:waltzer waterfalls:waterfal weepingly:weep wheresome:wheresom
whosoe:whoso winterly:winter wonderfully:wonder wow:wow xxxv:xxxv zealander:zealand skies:sky dying:die gently:gentl ugly:ugli early:earli
only:onli singly:singl news:news howe:howe inning:inning outing:outing evening:evening herring:herring earring:earring proceed:proceed
exceed:exceed succeed:succeed generate:generat general:general generously:generous communism:communism arsenal:arsenal ties:tie dies:die cries:cri
gas:gas this:this agreed:agre feed:feed proceedings:proceed hopping:hop hoping:hope falling:fall hissing:hiss failing:fail filing:file happy:happi
say:say by:by enjoy:enjoy conditional:condit rational:ration differently:differ operator:oper hopefulness:hope callousness:callous
formality:formal sensibility:sensibl electricity:electr electrical:electr hopeful:hope goodness:good revival:reviv inference:infer
defensible:defens adjustment:adjust dependent:depend adoption:adopt effective:effect rate:rate cease:ceas controlling:control roll:roll
apology:apolog
`;

describe("the English stemmer", () => {
  it("has the published roots", () => {
    const pairs = PUBLISHED.trim()
      .split(/\s+/)
      .map((pair) => pair.split(":"));
    expect(pairs.length).toBeGreaterThan(300);
    expect(pairs.flatMap(([word = "", root]) => (porter2(word) === root ? [] : [[word, porter2(word), root]]))).toEqual([]);
  });

  it("leaves short words as they are", () => {
    expect(["", "a", "is"].map(porter2)).toEqual(["", "a", "is"]);
  });
});
