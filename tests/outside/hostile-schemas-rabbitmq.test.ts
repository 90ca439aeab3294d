import { describeHostileSchemas } from "../e2e/testing/hostile-schemas-on.ts";

// A second system takes too long for every run. The other broker is in tests/e2e.
describeHostileSchemas("rabbitmq");
