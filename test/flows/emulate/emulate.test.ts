import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, type EmulateWorkspace, shownIn, startEmulateWorkspace } from './workspace.ts';

describe('Edgewise with a Slack that is not of its making (emulate)', () => {
  let workspace: EmulateWorkspace;

  beforeAll(async () => {
    workspace = await startEmulateWorkspace();
  });
  afterAll(() => workspace.close());

  const unforced = () =>
    workspace.platform.account.zones
      .flatMap((zone) => zone.Hostnames)
      .find((host) => !host.ForceSSL && host.HasCertificate && !host.IsSystemHostname)!;
  const writes = () => workspace.platform.writes().length;

  it('reads for one person, and shares with everybody when they want', async () => {
    const ada = workspace.person(ADMIN);
    const [zone] = workspace.platform.account.zones;
    const asked = await ada.type('/edge zone list');
    const answer = await asked.answer(new RegExp(zone!.Name));
    expect(answer.response_type).toBe('ephemeral');

    await ada.press(answer, 'Share');
    const shared = await workspace.posted(new RegExp(zone!.Name));
    expect(shared.user).toBe('U0EDGEWISE1');
    expect(asked.answers).toHaveLength(1);
  });

  it('changes something once: preview, confirmation, outcome in the channel', async () => {
    const ada = workspace.person(ADMIN);
    const host = unforced();
    const before = writes();
    const asked = await ada.type(`/edge ssl force ${host.Value} on`);
    const preview = await asked.answer(/Force HTTPS/);
    expect(writes()).toBe(before);

    const pressed = await ada.press(preview, 'Switch on', { twice: true });
    await workspace.posted(/switched force HTTPS .*on/);
    await expect.poll(() => pressed.answers.some((one) => one.delete_original === true)).toBe(true);
    expect(host.ForceSSL).toBe(true);
    expect(writes()).toBe(before + 1);
  });

  it('opens the form for what is missing, previews in it, and changes when it is confirmed', async () => {
    const ada = workspace.person(ADMIN);
    const host = unforced();
    const before = writes();
    await ada.type('/edge ssl force');
    const form = await workspace.view(/"block_id":"hostname"/);
    expect(form.title?.text).toBe('Force HTTPS');

    const option = (value: string) => ({ selected_option: { text: { type: 'plain_text', text: value }, value } });
    const acknowledged = await ada.submit(form, {
      hostname: { type: 'external_select', ...option(host.Value) },
      state: { type: 'static_select', ...option('on') },
    });
    expect(acknowledged).toMatchObject({ response_action: 'update' });
    const preview = await workspace.view(
      new RegExp(`Force HTTPS[\\s\\S]*${host.Value}|${host.Value}[\\s\\S]*Force HTTPS`),
    );
    expect(preview.callback_id).toBe('confirm');
    expect(writes()).toBe(before);

    await ada.submit(preview, {});
    await workspace.posted(new RegExp(`switched force HTTPS[^\n]*\`${host.Value} on `));
    expect(host.ForceSSL).toBe(true);
    expect(writes()).toBe(before + 1);
  });

  it('marks a field of the form that is wrong, and asks the platform nothing', async () => {
    const ada = workspace.person(ADMIN);
    await ada.type('/edge stats queue');
    const form = await workspace.view(/"block_id":"from"/);
    const requests = workspace.platform.requests.length;
    const acknowledged = await ada.submit(form, {
      zone: { type: 'external_select', selected_option: { value: '1' } },
      from: { type: 'datepicker', selected_date: '2026-02-30' },
    });
    expect(acknowledged).toMatchObject({ response_action: 'errors', errors: { from: expect.any(String) } });
    expect(workspace.platform.requests.length).toBe(requests);
  });

  it('does what cannot be taken back only after the name has been typed, and shows the new token once', async () => {
    const ada = workspace.person(ADMIN);
    const [database] = workspace.platform.account.databases;
    const before = writes();
    await ada.type(`/edge token regenerate ${database!.name}`);
    const preview = await workspace.view(/Type the name to confirm/);

    const name = (value: string) => ({ name: { type: 'plain_text_input', value } });
    expect(await ada.submit(preview, name(`${database!.name}-`))).toMatchObject({
      response_action: 'errors',
      errors: { name: expect.stringContaining(database!.name) },
    });
    expect(writes()).toBe(before);

    expect(await ada.submit(preview, name(database!.name))).toMatchObject({ response_action: 'update' });
    const shown = shownIn(await workspace.view(/PLATFORM_DATABASE_AUTH_TOKEN/));
    const [token] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(shown)!;
    const outcome = await workspace.posted(new RegExp(`token[\\s\\S]*${database!.name}`, 'i'));
    expect(shownIn(outcome)).not.toContain(token);
    expect(writes()).toBeGreaterThan(before);
  });

  it('shows the Home tab, with a button for what this person may do', async () => {
    await workspace.person(ADMIN).openHome();
    const home = await workspace.view(/operates your edge platform/);
    expect(home.type).toBe('home');
    expect(shownIn(home)).toContain('ssl force');
  });

  it('answers in a direct message where a file goes with the answer', async () => {
    const ada = workspace.person(ADMIN);
    const zone = workspace.platform.account.zones[0]!;
    const asked = await ada.type(`/edge log download ${zone.Id} yesterday`);
    await asked.answer(/direct messages/);
    await workspace.called('files.completeUploadExternal');
  });

  it('was refused nothing by emulate', async () => {
    expect(workspace.calls.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(workspace.calls.length).toBeGreaterThan(10);
  });
});
