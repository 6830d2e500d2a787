const TEST_PATH =
  /(?:^|\/)(?:__tests__|tests?|specs?|e2e)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*\.py$|_test\.\w+$|_spec\.rb$|(?:Test|Tests|Spec)\.(?:java|kt|php|cs|scala|groovy|swift)$/;

/** Whether a path names a test, or lies among tests, by the habits of the languages we know. */
export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path);
}
