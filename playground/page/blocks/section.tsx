/** The blocks that hold elements: section, actions, context and input. */
import type { ActionsBlock, ContextBlock, InputBlock, SectionBlock } from '@slack/types';
import { useId } from 'preact/hooks';
import { ElementView, Failure } from '../elements/element.tsx';
import { Picture } from '../elements/image.tsx';
import { useForm } from '../form.ts';
import { Icon } from '../icons.tsx';
import { PlainText } from '../text/mrkdwn.tsx';
import type { Element } from './kit.ts';
import { Text } from './text.tsx';

/** The `section` block: text, fields and an accessory. */
export function Section({ block }: { block: SectionBlock }) {
  const id = block.block_id ?? '';
  const { accessory } = block;
  const wide =
    accessory &&
    (accessory.type === 'checkboxes' || accessory.type === 'radio_buttons' || accessory.type.startsWith('multi_'));
  return (
    <div class="block section">
      <div class={`section-row ${wide ? 'wide' : ''}`}>
        <div class="section-main text">
          {block.text ? <Text text={block.text} /> : null}
          {block.fields ? (
            <div class="fields">
              {block.fields.map((field) => (
                <div class="section-field">
                  <Text text={field} />
                </div>
              ))}
            </div>
          ) : null}
        </div>
        {accessory ? (
          <div class="accessory">
            <ElementView element={accessory} block={id} label={nameOf(accessory, block.text?.text)} dispatch />
          </div>
        ) : null}
      </div>
      {accessory ? <Failure block={id} elements={[accessory]} /> : null}
    </div>
  );
}

/** The name of an element without a label: its placeholder, or the first line it stands beside. */
function nameOf(element: Element, beside?: string): string {
  const placeholder = 'placeholder' in element ? element.placeholder?.text : undefined;
  return placeholder ?? beside?.split('\n')[0]?.replace(/[*_~`]/g, '') ?? element.type.replaceAll('_', ' ');
}

/** The `actions` and `context_actions` blocks. */
export function Actions({ block }: { block: ActionsBlock }) {
  const id = block.block_id ?? '';
  return (
    <div class="block">
      <div class="actions">
        {block.elements.map((element) => (
          <ElementView element={element} block={id} label={nameOf(element)} dispatch />
        ))}
      </div>
      <Failure block={id} elements={block.elements} />
    </div>
  );
}

/** The `context` block: small text and pictures. */
export function Context({ block }: { block: ContextBlock }) {
  return (
    <div class="block context text">
      {block.elements.map((element) =>
        element.type === 'image' ? (
          <Picture image={element} class="context-image" />
        ) : (
          <span class="context-text">
            <Text text={element} />
          </span>
        ),
      )}
    </div>
  );
}

/** The `input` block: a label, its element, a hint, and the bot's complaint. */
export function Input({ block }: { block: InputBlock }) {
  const id = useId();
  const form = useForm();
  const blockId = block.block_id ?? '';
  const error = form.errorOf(blockId);
  const isGroup = block.element.type === 'checkboxes' || block.element.type === 'radio_buttons';
  const label = (
    <>
      <PlainText text={block.label.text} />
      {block.optional ? <span class="optional"> (optional)</span> : null}
    </>
  );
  return (
    <div class={`block input ${error ? 'has-error' : ''}`} data-block={blockId}>
      {isGroup ? (
        <div class="input-label">{label}</div>
      ) : (
        <label class="input-label" for={id}>
          {label}
        </label>
      )}
      <ElementView
        element={block.element}
        block={blockId}
        label={block.label.text}
        id={id}
        invalid={error !== undefined}
        describedBy={error ? `${id}-error` : block.hint ? `${id}-hint` : undefined}
        dispatch={block.dispatch_action ?? false}
      />
      {error ? (
        <p class="field-error" id={`${id}-error`} role="alert">
          <Icon name="error" size={16} /> <span>{error}</span>
        </p>
      ) : null}
      {block.hint ? (
        <p class="hint" id={`${id}-hint`}>
          <PlainText text={block.hint.text} />
        </p>
      ) : null}
      <Failure block={blockId} elements={[block.element]} />
    </div>
  );
}
