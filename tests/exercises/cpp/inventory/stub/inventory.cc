#include "inventory.h"
