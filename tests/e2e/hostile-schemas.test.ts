import { describeHostileSchemas } from "./testing/hostile-schemas-on.ts";

// On the other broker: tests/outside.
describeHostileSchemas("nats");
