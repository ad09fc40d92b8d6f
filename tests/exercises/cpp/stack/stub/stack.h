#pragma once

template <typename T>
class Stack {};
