/** The app as the emulated workspace knows it: its manifest. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { EmulatorOptions } from '../slack/emulator.ts';

interface Manifest {
  features?: {
    slash_commands?: { command: string; description: string; usage_hint?: string }[];
    shortcuts?: { name: string; type: 'global' | 'message'; callback_id: string }[];
  };
  oauth_config?: { scopes?: { bot?: string[] } };
  settings?: { event_subscriptions?: { bot_events?: string[] } };
}

/** A file at the root of the project; undefined where there is none. */
function read(name: string): string | undefined {
  try {
    return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The app as `manifest.yml` describes it, in the emulator's words: installing it here is reading it. */
export function installedApp(): Pick<EmulatorOptions, 'commands' | 'shortcuts' | 'events' | 'scopes'> {
  const text = read('manifest.yml');
  // Without a manifest the emulator takes every command.
  if (text === undefined) return {};
  const { features, oauth_config, settings } = parse(text) as Manifest;
  const events = settings?.event_subscriptions?.bot_events;
  const scopes = oauth_config?.scopes?.bot;
  return {
    commands: (features?.slash_commands ?? []).map(({ command, description, usage_hint }) => ({
      command,
      description,
      usageHint: usage_hint ?? '',
    })),
    shortcuts: (features?.shortcuts ?? []).map(({ name, type, callback_id }) => ({
      name,
      type,
      callbackId: callback_id,
    })),
    ...(events ? { events } : {}),
    ...(scopes ? { scopes } : {}),
  };
}
