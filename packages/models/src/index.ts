export { DEFAULT_BOUNDS } from "./adapter/answer-bounds.ts";
export { chooseProvider, settingsFor } from "./connect/choose-provider.ts";
export { connectModel } from "./connect/connect-model.ts";
export { otherAddress } from "./connect/model-address.ts";
export {
  AnswerStalled,
  AnswerTooLarge,
  AuthenticationError,
  ContextOverflow,
  ModelError,
  NetworkError,
  ProviderError,
  RateLimitError,
  ValidationError,
} from "./model-errors.ts";
export { costOf, type FactsOf, type ModelFacts, modelFacts, mostCost } from "./facts/model-facts.ts";
export type {
  ArgumentsText,
  ModelCall,
  ModelCapabilities,
  ModelContext,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ModelRun,
  ModelUsage,
  StopReason,
} from "./model-provider.ts";
export {
  KEY_VARIABLES,
  KEYED_PROVIDERS,
  type KeyedProvider,
  MODEL_PROVIDERS,
  ModelRefused,
  type ModelSettings,
  noModelSettings,
  type ProviderName,
} from "./connect/model-settings.ts";
export { assessRelease } from "./offline/assess-release.ts";
export { assessChange } from "./offline/change/assess-change.ts";
export type { ChangeAssessment, Evidence } from "./offline/change/change-finding.ts";
export { offlineModel } from "./offline/offline-model.ts";
export { readReleaseFacts } from "./offline/release-facts.ts";
export { ModelTableRefused, readModelTable } from "./facts/own-model-table.ts";
export { assertPaired, UnpairedTranscript } from "./pairing.ts";
export { type ModelProbe, probeModel } from "./connect/probe-model.ts";
export { compileForAll, compileTool, type ToolSetAside } from "./schema/compile-tool.ts";
export { dialectRules } from "./schema/dialect-rules.ts";
export { type DialectName, DIALECTS } from "./schema/dialect.ts";
export { matchesOf, type WordWeight } from "./search/match.ts";
export { rank, scored } from "./search/rank.ts";
export { meantBy, synonymsOf } from "./search/synonyms.ts";
export { type Terms, termsIn } from "./search/terms.ts";
export { isFiller, stem } from "./search/words.ts";
export { estimateTokens, estimateToolTokens } from "./tokens/estimate-tokens.ts";
export { type TokenCalibration, tokenCalibration } from "./tokens/token-calibration.ts";
export { loadTokenizer } from "./tokens/tokenizer.ts";
export type { ToolSpec } from "./schema/tool-spec.ts";
