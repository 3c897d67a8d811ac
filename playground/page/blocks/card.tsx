/** The blocks that look like cards: card, carousel, container, task_card and plan. */
import type { CardBlock, CarouselBlock, ContainerBlock, PlanBlock, TaskCardBlock } from '@slack/types';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ElementView, Failure } from '../elements/element.tsx';
import { Picture } from '../elements/image.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { Link, PlainText } from '../text/mrkdwn.tsx';
import { RichText } from '../text/rich-text.tsx';
import { Text } from './text.tsx';

/** The `card` block. */
export function CardView({ block }: { block: CardBlock }) {
  return (
    <div class="block">
      <Card card={block} />
    </div>
  );
}

/** The `carousel` block: cards side by side. */
export function Carousel({ block }: { block: CarouselBlock }) {
  return (
    <div class="block carousel">
      {block.elements.map((card) => (
        <Card card={card} />
      ))}
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

/** A container around its child blocks, which are drawn by whoever draws blocks. */
export function Container({ block, children }: { block: ContainerBlock; children: ComponentChildren }) {
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
      {isOpen ? <div class="container-body">{children}</div> : null}
    </section>
  );
}

/** The `task_card` block. */
export function TaskCard({ block }: { block: TaskCardBlock }) {
  return (
    <div class="block">
      <Task task={block} />
    </div>
  );
}

/** The `plan` block: a title over its tasks. */
export function Plan({ block }: { block: PlanBlock }) {
  return (
    <section class="block plan" aria-label={block.title}>
      <b>{block.title}</b>
      {(block.tasks ?? []).map((task) => (
        <Task task={task as TaskCardBlock} />
      ))}
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
