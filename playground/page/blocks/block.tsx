/** Draws the blocks of a message or a view, each by its type. */
import type {
  ActionsBlock,
  CardBlock,
  ContainerBlock,
  ContextBlock,
  InputBlock,
  MrkdwnElement,
  PlainTextElement,
  SectionBlock,
  TaskCardBlock,
} from '@slack/types';
import { Component, type ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { UiBlock } from '../../slack/ui-types.ts';
import { ElementView, Failure } from '../elements/element.tsx';
import { Picture } from '../elements/image.tsx';
import { useForm } from '../form.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Markdown } from '../text/markdown.tsx';
import { Link, Mrkdwn, PlainText } from '../text/mrkdwn.tsx';
import { RichText } from '../text/rich-text.tsx';
import { Chart } from './chart.tsx';
import { DataTable } from './data-table.tsx';
import { type DrawnBlock, drawn, type Element } from './kit.ts';
import { Table } from './table.tsx';
import { Unsupported } from './unsupported.tsx';

/** A text object, as its type says. */
export function Text({ text }: { text: MrkdwnElement | PlainTextElement }) {
  return text.type === 'mrkdwn' ? (
    <Mrkdwn text={text.text} />
  ) : (
    <span class="lines">
      <PlainText text={text.text} emoji={text.emoji} />
    </span>
  );
}

export function Blocks({ blocks }: { blocks: UiBlock[] }) {
  return (
    <div class="blocks">
      {blocks.map((block, index) => (
        <Guarded key={block.block_id ?? index} block={block} />
      ))}
    </div>
  );
}

/** One block that cannot be drawn must not take the page with it. */
class Guarded extends Component<{ block: UiBlock }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    console.error('A block could not be drawn', error, this.props.block);
    this.setState({ failed: true });
  }

  override componentDidUpdate(before: { block: UiBlock }): void {
    if (this.state.failed && before.block !== this.props.block) this.setState({ failed: false });
  }

  override render() {
    const { block } = this.props;
    return this.state.failed ? (
      <Unsupported what="block" type={block.type} content={block} />
    ) : (
      <Block block={drawn(block)} />
    );
  }
}

function Block({ block }: { block: DrawnBlock }): ComponentChildren {
  switch (block.type) {
    case 'section':
      return <Section block={block} />;
    case 'header':
      return (
        <h3 class="block header">
          <PlainText text={block.text.text} emoji={block.text.emoji} />
        </h3>
      );
    case 'divider':
      return <hr class="block divider" />;
    case 'context':
      return <Context block={block} />;
    case 'actions':
    case 'context_actions':
      return <Actions block={block as ActionsBlock} />;
    case 'input':
      return <Input block={block} />;
    case 'image':
      return (
        <figure class="block image">
          {block.title ? (
            <figcaption>
              <PlainText text={block.title.text} />
            </figcaption>
          ) : null}
          <Picture image={block} />
        </figure>
      );
    case 'rich_text':
      return (
        <div class="block text">
          <RichText block={block} />
        </div>
      );
    case 'markdown':
      return (
        <div class="block text">
          <Markdown text={block.text} />
        </div>
      );
    case 'table':
      return <Table block={block} />;
    case 'data_table':
      return <DataTable block={block} />;
    case 'data_visualization':
      return <Chart block={block} />;
    case 'alert':
      return <Alert level={block.level ?? 'default'}>{<Text text={block.text as MrkdwnElement} />}</Alert>;
    case 'card':
      return (
        <div class="block">
          <Card card={block} />
        </div>
      );
    case 'carousel':
      return (
        <div class="block carousel">
          {block.elements.map((card) => (
            <Card card={card} />
          ))}
        </div>
      );
    case 'container':
      return <Container block={block} />;
    case 'task_card':
      return (
        <div class="block">
          <Task task={block} />
        </div>
      );
    case 'plan':
      return (
        <section class="block plan" aria-label={block.title}>
          <b>{block.title}</b>
          {(block.tasks ?? []).map((task) => (
            <Task task={task as TaskCardBlock} />
          ))}
        </section>
      );
    case 'video':
      return (
        <div class="block text">
          <Link url={block.title_url ?? block.video_url}>{block.title.text}</Link>
        </div>
      );
    default:
      return <Unsupported what="block" type={block.type} content={block} />;
  }
}

function Section({ block }: { block: SectionBlock }) {
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

function Actions({ block }: { block: ActionsBlock }) {
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

function Context({ block }: { block: ContextBlock }) {
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

function Input({ block }: { block: InputBlock }) {
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

const alertIcons: Record<string, IconName> = {
  default: 'info',
  info: 'info',
  warning: 'warning',
  error: 'error',
  success: 'success',
};

export function Alert({ level, children }: { level: string; children: ComponentChildren }) {
  return (
    <div class={`block alert alert-${level}`} role={level === 'error' ? 'alert' : 'note'}>
      <Icon name={alertIcons[level] ?? 'info'} size={18} />
      <div class="text">{children}</div>
    </div>
  );
}

function Card({ card }: { card: CardBlock }) {
  const id = card.block_id ?? '';
  return (
    <section class="card">
      {card.hero_image ? <Picture image={card.hero_image} class="card-hero" /> : null}
      <div class="card-body">
        <div class="card-head">
          {card.icon ? <Picture image={card.icon} class="card-icon" /> : null}
          <div>
            {card.title ? (
              <div class="card-title">
                <Text text={card.title} />
              </div>
            ) : null}
            {card.subtitle ? (
              <div class="card-subtitle">
                <Text text={card.subtitle} />
              </div>
            ) : null}
          </div>
        </div>
        {card.body ? (
          <div class="text">
            <Text text={card.body} />
          </div>
        ) : null}
        {card.actions && card.actions.length > 0 ? (
          <div class="actions">
            {card.actions.map((button) => (
              <ElementView element={button} block={id} label={button.text.text} dispatch />
            ))}
          </div>
        ) : null}
        <Failure block={id} elements={card.actions ?? []} />
      </div>
    </section>
  );
}

function Container({ block }: { block: ContainerBlock }) {
  const [isOpen, setOpen] = useState(!(block.is_collapsible && block.default_collapsed));
  const head = (
    <>
      {block.icon ? <Picture image={block.icon} class="card-icon" /> : null}
      <span class="container-words">
        <b>
          {block.rich_text_title ? (
            <RichText block={block.rich_text_title} />
          ) : (
            <PlainText text={block.title?.text ?? ''} />
          )}
        </b>
        {block.subtitle ? (
          <small>
            <Text text={block.subtitle} />
          </small>
        ) : null}
      </span>
    </>
  );
  return (
    <section
      class={`block container width-${block.width ?? 'standard'} ${block.has_header_divider && isOpen ? 'ruled' : ''}`}
    >
      {block.is_collapsible ? (
        <button type="button" class="container-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {head}
          <Icon name={isOpen ? 'down' : 'right'} size={16} />
        </button>
      ) : (
        <div class="container-head">{head}</div>
      )}
      {isOpen ? (
        <div class="container-body">
          <Blocks blocks={block.child_blocks as UiBlock[]} />
        </div>
      ) : null}
    </section>
  );
}

const taskIcons: Record<TaskCardBlock['status'], IconName> = {
  pending: 'more',
  in_progress: 'thread',
  complete: 'success',
  error: 'error',
};

function Task({ task }: { task: TaskCardBlock }) {
  return (
    <div class={`task task-${task.status}`}>
      {task.status === 'in_progress' ? (
        <span class="spinner" />
      ) : (
        <Icon name={taskIcons[task.status] ?? 'info'} size={18} />
      )}
      <div>
        <b>{task.title}</b>
        {task.details ? <RichText block={task.details} /> : null}
        {task.output ? <RichText block={task.output} /> : null}
        {(task.sources ?? []).map((source) => (
          <Link url={source.url}>{source.text}</Link>
        ))}
      </div>
    </div>
  );
}
