// The command line plays runs again without a running service. It imports this from here, because it reaches into no service.
export {
  type ComparedRuns,
  compareVariant,
  type Difference,
  profileFileOf,
  readProfile,
  recordedProfileFile,
  type Replayed,
  replayModel,
  replayRecord,
  ReplayRefused,
  type ToolChange,
  type Variant,
} from "@toolbus/agent";
