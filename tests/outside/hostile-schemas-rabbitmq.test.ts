import { describeHostileSchemas } from "../e2e/testing/hostile-schemas-on.ts";

// A second system takes too long for every test run, so it is here. The test on the other broker is in tests/e2e.
describeHostileSchemas("rabbitmq");
