export {
  BUILT_IN_PROFILES,
  loadProfiles,
  chosenModel,
  LOOP_TOOL_NAMES,
  modelEnvironment,
  modelInWords,
  modelProbe,
  unknownModelSettings,
} from "@toolbus/agent";
export { keepAddresses } from "./kept-addresses.ts";
export { type LocalKeys, localKeys, SHARED_TOOLSETS } from "./local-keys.ts";
export { localReleaseApi } from "./release-api.ts";
export { type AllInOne, startAllInOne } from "./start-all-in-one.ts";
export { startForOperator } from "./start-for-operator.ts";
export { startEmbedded } from "./start-embedded.ts";
export { APART, type Apart, type ApartName, type ApartOptions, type Replica, startApart } from "./start-apart.ts";
export { namedLines } from "./named-lines.ts";
export { startCluster } from "./start-cluster.ts";
export { limitsOfBuild, stampOfBuild } from "./build-stamp.ts";
export { type AnsweredToolsets, answeredToolsets, SHIPPED_TOOLSETS, shippedTools } from "@toolbus/tool-executor";
