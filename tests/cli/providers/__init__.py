"""Servers that refuse what the model providers refuse; see README.md in this folder."""

from providers.anthropic import Anthropic
from providers.azure import Azure
from providers.chat import Chat
from providers.compatible import DeepSeek, Moonshot, OpenRouter
from providers.gemini import Gemini
from providers.local import LlamaCpp, LmStudio, TextCalls, Vllm
from providers.ollama import Ollama
from providers.openai import OpenAi
from providers.responses import Responses
from providers.script import (CALL_CUT, CALL_END, CONTENT, CUT, EMPTY, MALFORMED, OVERLOADED, PLAY, QUOTA,
                              RATE_LIMITED, REFUSAL, SAFETY, SERVER_ERROR, STREAM_ERROR, UNAUTHORIZED, Call, Happening, Script, Turn)
from providers.server import ProviderServer
