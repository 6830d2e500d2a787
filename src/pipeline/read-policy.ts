import type { Incident } from "../domain/incident.ts";
import { readSettings, SETTINGS_PATH, type Settings } from "../intake/settings.ts";
import type { AppParts } from "./incident-parts.ts";

/** The repository's settings, from its default branch only. */
export async function readPolicy(
  { installationId, repository }: Pick<Incident, "installationId" | "repository">,
  { app }: Pick<AppParts, "app">,
): Promise<Settings> {
  const github = await app.forInstallation(installationId);
  return readSettings(await github.file(repository, SETTINGS_PATH, repository.defaultBranch));
}

/** What is wrong with the settings, as a note for people; null when nothing is. */
export function settingsNote({ mistake }: Settings): string | null {
  if (mistake === null) return null;
  const where = mistake.line === null ? SETTINGS_PATH : `${SETTINGS_PATH} line ${mistake.line}`;
  return `${where}: ${mistake.message}. The defaults hold until it is mended.`;
}
