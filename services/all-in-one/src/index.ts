export { modelEnvironment, modelInWords, modelProbe, unknownModelSettings } from "@toolbus/agent";
export { type LocalKeys, localKeys, SHARED_TOOLSETS } from "./local-keys.ts";
export { localReleaseApi } from "./release-api.ts";
export { type AllInOne, type AllInOneOptions, DEFAULT_DIRECTORY, startAllInOne } from "./start-all-in-one.ts";
export { type EmbeddedOptions, startEmbedded } from "./start-embedded.ts";
export { APART, type Apart, type ApartName, type ApartOptions, type Replica, startApart } from "./start-apart.ts";
export { namedLines } from "./named-lines.ts";
export { type Cluster, type ClusterOptions, startCluster } from "./start-cluster.ts";
